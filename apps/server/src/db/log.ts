/** The part of a pino logger that the database client uses. */
export type DatabaseLog = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>
