const tables = ['documents', 'parts', 'files'] as const
export type Table = (typeof tables)[number]

/** What the page keeps in this browser, by table and name. A write is there as a whole or not at all. */
export type Database = {
  get(table: Table, name: string): Promise<unknown>
  put(table: Table, name: string, value: unknown): Promise<void>
  remove(table: Table, name: string): Promise<void>
  names(table: Table): Promise<string[]>
  /** Forgets everything. */
  clear(): Promise<void>
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('The browser keeps nothing'))
  })

/** Resolves when what was written is kept: a transaction may still fail after its last request. */
const committed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new Error('The browser keeps nothing'))
  })

export async function openDatabase(name = 'mdm-terminal'): Promise<Database> {
  const opening = indexedDB.open(name, 1)
  opening.onupgradeneeded = () => {
    for (const table of tables) opening.result.createObjectStore(table)
  }
  const database = await settled(opening)
  const write = async (stores: readonly Table[], work: (transaction: IDBTransaction) => void): Promise<void> => {
    const transaction = database.transaction(stores, 'readwrite')
    const done = committed(transaction)
    work(transaction)
    await done
  }
  return {
    get: (table, key) => settled(database.transaction(table).objectStore(table).get(key)) as Promise<unknown>,
    put: (table, key, value) => write([table], (of) => void of.objectStore(table).put(value, key)),
    remove: (table, key) => write([table], (of) => void of.objectStore(table).delete(key)),
    names: async (table) => (await settled(database.transaction(table).objectStore(table).getAllKeys())).map(String),
    clear: () => write(tables, (of) => tables.forEach((table) => void of.objectStore(table).clear())),
  }
}
