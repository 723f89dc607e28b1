import { errors } from '@mdm/contract'

/** Result codes of the console's own making; the server never sends a negative one. */
export const localResults = {
  offline: -1,
  timeout: -2,
  not_readable: -3,
  not_confirmed: -4,
  unauthorized_again: -401,
} as const

/** A call that did not succeed: refused by the server, or never answered. */
export class CallFailed extends Error {
  constructor(
    /** The server's result code, or one of `localResults`. */
    readonly result: number,
    message: string,
    /** Dotted field path -> message, for refused input. */
    readonly fields: Record<string, string> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'CallFailed'
  }

  /** Nothing but what a record is called in addresses was refused, which nobody types. */
  get is_broken_link(): boolean {
    const names = Object.keys(this.fields)
    return this.result === errors.bad_input.result && names.length > 0 && names.every((name) => /(^|_)kid$/.test(name))
  }

  /** What was asked for does not exist, or not any more. */
  get is_gone(): boolean {
    return this.result === errors.not_found.result || this.result === errors.device_not_found.result
  }

  /** The server was not reached, so trying again later is sensible. */
  get is_offline(): boolean {
    return this.result === localResults.offline || this.result === localResults.timeout
  }

  /** One of several 401 within a second, or of a session or account that is over: told once, nobody shows this one. */
  get is_silent(): boolean {
    return this.result === localResults.unauthorized_again
  }

  /** The person chose not to go on: said where it was begun, never as a notice. */
  get is_cancelled(): boolean {
    return this.result === localResults.not_confirmed
  }
}
