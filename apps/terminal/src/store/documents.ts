import type { Store } from '@mdm/agent/store.ts'
import type { Database } from './database.ts'

/** The agent's documents in this browser. They are kept as text, so that what is read is nobody else's object. */
export const documentsIn = (database: Database): Store => ({
  async read(name) {
    const text = await database.get('documents', name)
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined
  },
  write: (name, value) => database.put('documents', name, JSON.stringify(value)),
  remove: (name) => database.remove('documents', name),
  list: async (folder) => (await database.names('documents')).filter((name) => name.startsWith(`${folder}/`)),
})
