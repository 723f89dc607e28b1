import { expect, test } from 'vitest'
import { contract } from './calls.ts'
import type { Call } from './kit.ts'

const calls = (Object.values(contract) as { calls: Record<string, Call> }[]).flatMap((group) =>
  Object.values(group.calls),
)
/** What names devices or groups is kept to those within reach where they are looked up. */
const naming = /^(terminal_?kids?|terminalKids|terminal_group_kids?|terminalGroupKid|match|to|places|ltscope)$/

test('every write of a tenant says whether who is limited to device groups may make it, or names devices', () => {
  const silent = calls.filter(({ scope, effect, limited, input }) => {
    const fields = Object.keys((input as { shape?: object }).shape ?? {})
    return (
      scope === 'tenant' && effect === 'write' && limited === undefined && !fields.some((name) => naming.test(name))
    )
  })
  expect(silent.map(({ path }) => path)).toEqual([])
})
