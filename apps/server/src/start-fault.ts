import { SettingsError } from './config.ts'
import { DatabaseError, isDiskFull, isUnavailable } from './lib/database-errors.ts'

/** Why a start failed, for the administrator: exit code and what is printed. Only what nobody foresaw comes with its stack. */
export function startFault(error: unknown): { exit_code: 1 | 2; said: unknown[] } {
  if (error instanceof SettingsError) return { exit_code: 2, said: [error.message] }
  return { exit_code: 1, said: reasonOf(error as NodeJS.ErrnoException) }
}

function reasonOf(error: NodeJS.ErrnoException): unknown[] {
  const { code, message } = error
  if (isDiskFull(error))
    return [`Cannot start: there is no room on the disk of the database or of MDM_DATA (${message}).`]
  if (error instanceof DatabaseError) return [`Cannot start: ${message}`]
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return [`Cannot start: ${message}. Choose another MDM_HTTP_PORT or MDM_MQTT_PORT.`]
  if (isUnavailable(error)) return [`Cannot start: the database cannot be reached (${message}).`]
  return ['Cannot start:', error]
}
