const outOfTime: Record<string, string> = {
  CERT_NOT_YET_VALID: 'The certificate of the server is not valid yet',
  CERT_HAS_EXPIRED: 'The certificate of the server is not valid any more',
}
/** A device that has lost its clock looks like a server with a bad certificate: the message names both. */
export function inTime(error: Error, now = new Date()): Error {
  const reason = outOfTime[String((error as NodeJS.ErrnoException).code)]
  if (reason === undefined) return error
  return new Error(`${reason}, by the clock of this device: ${now.toISOString()}`, { cause: error })
}
