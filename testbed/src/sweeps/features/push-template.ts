import { contract, pushLimits } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'

declare module '../feature.ts' {
  interface Things {
    push_template_kid: string
  }
}

const { insert } = contract.pushTemplate.calls
const draft = (name: string) => ({
  name,
  push: { type: 'message' as const, payload: { title: 't', text: 't' } },
})

/** Pushes that are kept to be made from. */
export const pushTemplate: Feature = {
  async make({ call }) {
    const { kid } = await call.pushTemplate.insert(draft('Sweep'))
    return { push_template_kid: kid }
  },
  inputs: (t) => ({
    'push_template/list': {},
    'push_template/insert': draft('Valid'),
    'push_template/delete': { kid: t.push_template_kid },
  }),
  tables: ['push_template'],
  refusals: ({ root, deps, unique }) =>
    refusalsOf(insert, root, {
      os_not_available: () => ({
        ...draft(unique('Template')),
        push: { type: 'os', payload: { os_version_kid: unknownKid } },
      }),
      duplicate_name: async () => {
        const taken = draft(unique('Template'))
        await root.pushTemplate.insert(taken)
        return taken
      },
      push_template_max: async () => {
        const { kid } = await root.pushTemplate.insert(draft(unique('Template')))
        const row = await deps.db
          .selectFrom('push_template')
          .selectAll()
          .where('kid', '=', kid)
          .executeTakeFirstOrThrow()
        const copies = Array.from({ length: pushLimits.templates }, (_each, n) => ({
          ...row,
          kid: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
          name: `Copy ${n}`,
          payload: JSON.stringify(row.payload),
          conditions: JSON.stringify(row.conditions),
          rollout: null,
        }))
        await deps.db.insertInto('push_template').values(copies).execute()
        return draft(unique('Template'))
      },
    }),
}
