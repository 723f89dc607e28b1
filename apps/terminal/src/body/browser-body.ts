import { TaskFailure } from '@mdm/agent/body/body.ts'
import type { Body, DeviceEventOf } from '@mdm/agent/body/body.ts'
import { agentVersion, protocolVersion } from '@mdm/agent/version.ts'
import type { Facts } from './facts.ts'
import type { Notices } from './notices.ts'
import type { Bell } from './ring.ts'
import type { Senses } from './senses.ts'
import { obeyed } from './settings.ts'
import type { ReceivedFiles } from '../files/received.ts'
import type { OpenView } from '../view.ts'

/** A page can show, ring, keep files and tell its own log; all else is the system's, which lets no page near it. */
const task_types: Body['task_types'] = ['message', 'file', 'find', 'remote_log']

export type BrowserParts = {
  sn: string
  facts: Facts
  boot: { boot_id: string; boot_at: string }
  senses: Senses
  bell: Bell
  notices: Notices
  received: ReceivedFiles
  view: OpenView
  room: () => Promise<number>
  configure: Body['configure']
  /** What happened to the page since it was asked last. */
  takeEvents: () => DeviceEventOf[]
  /** Beside the page: its policy lets it speak to nobody else. */
  broker: string
}

const unable = async (): Promise<never> => {
  throw new TaskFailure('not_supported', 'A browser lets no page do this')
}

/** The device that a page in a browser is. */
export function browserBody(parts: BrowserParts): Body {
  const { sn, facts, boot, senses, bell, notices, received, view } = parts
  const labels = {
    model: facts.model,
    os_name: facts.os_name,
    os_version: facts.os_version,
    service_version: `${agentVersion} ${facts.browser}`.slice(0, 64),
    protocol_version: protocolVersion,
  }
  return {
    task_types,
    config_sections: [...obeyed],
    agent_sections: ['collection'],
    judges_fence: false,
    broker: parts.broker,
    identity: async () => ({ sn, ...labels }),
    inventory: async () => ({
      ...labels,
      agent: 'browser',
      resolution: [screen.width, screen.height].map((side) => Math.round(side * devicePixelRatio)).join('x'),
      packages: [],
      package_kinds: [],
    }),
    boot: async () => ({
      boot_id: boot.boot_id,
      boot_at: new Date(boot.boot_at),
      uptime: Math.max(0, (Date.now() - Date.parse(boot.boot_at)) / 1000),
    }),
    state: async () => senses.state(),
    events: async () => parts.takeEvents(),
    usage: async () => [],
    is_reachable: () => navigator.onLine,
    network: async () => senses.network(),
    zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    ask: (question, { may_put_off }, signal) => notices.ask(question, may_put_off, signal),
    warn: (text, seconds, signal) => notices.warn(text, seconds, signal),
    configure: parts.configure,
    read_config_file: unable,
    show_message: async (message, signal) => ({ text: await notices.show(message, signal) }),
    land: (file) => received.land(file),
    room: parts.room,
    remove_pushed: (path, sha256) => received.remove_pushed(path, sha256),
    files: received.files,
    apps: {
      list: async () => [],
      installed: async () => undefined,
      assertFits: unable,
      land: unable,
      install: unable,
      start: unable,
      uninstall: unable,
      set_permission: unable,
    },
    screenshot: unable,
    async find(seconds, signal) {
      view.set({ is_ringing: true })
      try {
        const was_heard = await bell.ring(seconds, signal)
        return {
          text: was_heard ? `Rang for ${seconds} s` : `Flashed for ${seconds} s: nobody has touched the page yet`,
        }
      } finally {
        view.set({ is_ringing: false })
      }
    },
    lock: unable,
    restart: unable,
    shut_down: unable,
    factory_reset: unable,
    log: async () => undefined,
  }
}
