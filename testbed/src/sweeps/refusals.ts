import type { Call, Errors } from '@mdm/contract'
import type { Caller, Reply } from '../caller.ts'

/** Brings a refusal about and answers it. */
export type Refusal = () => Promise<Reply<Call>>
/** By "path name" of what a call declares. */
export type Refusals = Record<string, Refusal>

class By {
  constructor(
    readonly who: Caller,
    readonly input: unknown,
  ) {}
}
/** An input that another caller than the usual one sends. */
export const by = (who: Caller, input: unknown): unknown => new By(who, input)

/** How refusals of one call come about: the input for each, and what had to be done before. */
export function refusalsOf<C extends Call>(
  call: C,
  who: Caller,
  each: Partial<Record<Errors<C>, () => unknown>>,
): Refusals {
  const entries = Object.entries(each) as [string, () => unknown][]
  return Object.fromEntries(
    entries.map(([name, make]) => [
      `${call.path} ${name}`,
      async () => {
        const made = await make()
        return made instanceof By ? made.who.try_(call, made.input) : who.try_(call, made)
      },
    ]),
  )
}

/** An id that nothing has. */
export const unknownKid = '01890000-0000-7000-8000-000000000000'
