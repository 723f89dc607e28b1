import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentOf, gatewayKinds, inabilities, pushKinds } from '@mdm/contract'
import type { GatewayKind } from '@mdm/contract'
import { inventoryOf } from './hawkbit/inventory.ts'
import { fresh } from './hawkbit/kept.ts'
import { sectionsOf as headwindSections } from './headwind/config.ts'
import { task_types as headwindTasks } from './headwind/said.ts'
import { sectionsOf } from './mdmesh/config.ts'
import { inventoryOf as menderInventory } from './mender/inventory.ts'
import { task_types } from './mdmesh/telemetry.ts'

const page = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
const policies = ['wifi', 'camera', 'screenshots', 'bluetooth', 'usbStorage', 'factoryReset']
/** What each says of its devices. */
const said: Record<GatewayKind, { pushes: readonly string[]; sections: readonly string[] }> = {
  mdmesh: { pushes: task_types, sections: sectionsOf(policies) },
  headwind: { pushes: headwindTasks, sections: headwindSections(true) },
  hawkbit: { pushes: inventoryOf(fresh).task_types!, sections: inventoryOf(fresh).config_sections! },
  mender: {
    pushes: menderInventory({ attributes: {} }).task_types!,
    sections: menderInventory({ attributes: {} }).config_sections!,
  },
  // The page says it of itself, in its hello.
  browser: {
    pushes: ['message', 'file', 'find', 'remote_log'],
    sections: ['collection', 'kiosk', 'device_name', 'language', 'managed_apps'],
  },
}

/** Of the table below a heading: what its column says of each thing that the first one names. */
function column(heading: string, name: string): Map<string, string> {
  const [, below = ''] = page.split(`## ${heading}\n`)
  const lines = below.split('\n## ')[0]!.split('\n')
  const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.split('|').map((cell) => cell.trim()))
  const at = rows[0]!.indexOf(name)
  if (at < 0) throw new Error(`docs/agents.md has no column ${name} under ${heading}`)
  return new Map(rows.slice(2).flatMap((row) => row[1]!.split(', ').map((key) => [key.replaceAll('`', ''), row[at]!])))
}

describe.each(gatewayKinds)('docs/agents.md says of %s what the server does', (kind) => {
  const { name, lacks } = agentOf(kind)!

  it('of every kind of push, with the reason that people are shown', () => {
    const cells = column('Pushes', name)
    for (const type of Object.keys(pushKinds)) {
      const cell = cells.get(type)
      const reason = lacks[type as keyof typeof lacks]
      const sentence = reason && inabilities[reason].en.replace(/^The /, 'the ')
      // How a configuration is obeyed is said by section.
      if (type === 'configuration') continue
      if (said[kind].pushes.includes(type)) expect(cell, type).not.toMatch(/^no\b/)
      else expect(cell, type).toBe(sentence ? `no: ${sentence}` : 'no')
    }
  })

  it('nothing lacks a reason that it does all the same', () => {
    expect(said[kind].pushes.filter((type) => type in lacks)).toEqual([])
  })

  it('of the sections that it obeys', () => {
    const cells = column('Configurations', name)
    const obeyed = [...cells].filter(([, cell]) => !/^no\b/.test(cell)).map(([section]) => section)
    expect(obeyed.toSorted()).toEqual(said[kind].sections.toSorted())
  })
})
