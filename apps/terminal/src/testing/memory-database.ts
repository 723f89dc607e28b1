import type { Database, Table } from '../store/database.ts'

/** What a browser keeps, without a browser. */
export function memoryDatabase(): Database {
  const tables: Record<Table, Map<string, unknown>> = { documents: new Map(), parts: new Map(), files: new Map() }
  return {
    get: async (table, name) => tables[table].get(name),
    put: async (table, name, value) => void tables[table].set(name, value),
    remove: async (table, name) => void tables[table].delete(name),
    names: async (table) => [...tables[table].keys()],
    clear: async () => Object.values(tables).forEach((table) => table.clear()),
  }
}
