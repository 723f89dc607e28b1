import type { ErrorName } from '@mdm/contract'
import { refuse } from '../http/context.ts'

/** Runs a write; a breach of one of the named unique indexes becomes its refusal, anything else stays an error. */
export async function uniqueViolation<T>(run: () => Promise<T>, names: Record<string, ErrorName>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    const name = code === '23505' && constraint !== undefined ? names[constraint] : undefined
    if (name) return refuse(name)
    throw error
  }
}
