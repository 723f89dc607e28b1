import type { ErrorName } from '@mdm/contract'
import { refuse } from '../refusal.ts'
/** Of a unique index, of a check, of a foreign key. */
const violations = new Set(['23505', '23514', '23503'])

/**
 * Runs a write; a breach of one of the named unique indexes, checks or foreign keys becomes its refusal, anything else stays an error.
 */
export async function violation<T>(run: () => Promise<T>, names: Record<string, ErrorName>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    const name = violations.has(code ?? '') && constraint !== undefined ? names[constraint] : undefined
    if (name) return refuse(name)
    throw error
  }
}
