import type { RemoteSession } from '@mdm/contract'
import { may } from '../../../core/session.tsx'

const needs = {
  desktop: 'deviceDetailRemote',
  terminal: 'deviceDetailRemote:terminal',
  log: 'deviceDetailRemote:log',
  files: 'deviceDetailFileManager',
} as const

/** Whoever may open such a session may end it. */
export const mayEnd = ({ kind }: RemoteSession): boolean => may(needs[kind])
