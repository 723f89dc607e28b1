import {
  AndroidFilled,
  AndroidOutlined,
  CloudDownloadOutlined,
  ExperimentOutlined,
  FileExcelOutlined,
  HourglassOutlined,
  GlobalOutlined,
  LinuxOutlined,
  MobileOutlined,
  NumberOutlined,
  PrinterOutlined,
  QrcodeOutlined,
  SyncOutlined,
} from '@ant-design/icons'
import type { ComponentType, ReactNode } from 'react'
import type { AndroidAgent, GatewayKind, Permission } from '@mdm/contract'
import { BrowserPanel } from './BrowserPanel.tsx'
import { PermanentPanel } from './PermanentPanel.tsx'
import { QrPanel } from './QrPanel.tsx'
import { raucConfig, swupdateConfig } from './hawkbit.ts'
import { snippets } from './snippets.tsx'
import { WaitingPanel } from './WaitingPanel.tsx'
import type { texts } from './texts/en.ts'

export type PanelProps = { group: string; onGroup: (kid: string) => void; onClose: () => void }
/** What a choice leads to: a form with a draft that is kept, a panel, or a drawer of its own. */
type LeadsTo = { form: 'code' | AndroidAgent } | { panel: ComponentType<PanelProps> } | { drawer: 'sheet' }
export type EnrolKind = {
  key: keyof (typeof texts)['kinds']
  icon: ReactNode
  needs?: Permission
  /** Through which its devices come; they cannot where the server has it turned off. */
  gateway?: GatewayKind
} & LeadsTo

const needs = 'deviceList:qrcode'

/** Without intervals of its own a Mender client asks every half an hour. */
const menderConf = (ServerURL: string, TenantToken: string): string =>
  JSON.stringify(
    {
      ...{ ServerURL, TenantToken },
      ...{ UpdatePollIntervalSeconds: 300, InventoryPollIntervalSeconds: 1_800, RetryPollIntervalSeconds: 60 },
    },
    null,
    2,
  )

/** The answers to “What do you enrol?”: devices by what they are, then by how they register. */
export const enrolKinds: Record<'devices' | 'ways', readonly EnrolKind[]> = {
  devices: [
    { key: 'android', icon: <AndroidOutlined aria-hidden />, needs, gateway: 'mdmesh', form: 'mdmesh' },
    { key: 'headwind', icon: <AndroidFilled aria-hidden />, needs, gateway: 'headwind', form: 'headwind' },
    { key: 'android_own', icon: <MobileOutlined aria-hidden />, needs, form: 'mdm' },
    { key: 'browser', icon: <GlobalOutlined aria-hidden />, gateway: 'browser', panel: BrowserPanel },
    {
      key: 'linux',
      icon: <LinuxOutlined aria-hidden />,
      needs,
      panel: snippets(({ server, token }) => [
        { label: 'install', text: 'sudo apt install ./mdm-agent_*.deb' },
        { label: 'join', text: `sudo mdm-agent install --server ${server} --qrcode ${token}` },
        { label: 'checkout', text: `npm run agent -- --server ${server} --qrcode ${token}` },
      ]),
    },
    {
      key: 'hawkbit',
      icon: <CloudDownloadOutlined aria-hidden />,
      needs,
      gateway: 'hawkbit',
      panel: snippets(({ server, token }) => [
        { label: 'swupdate', text: swupdateConfig(server, token) },
        { label: 'rauc', text: raucConfig(server, token) },
      ]),
    },
    {
      key: 'mender',
      icon: <SyncOutlined aria-hidden />,
      needs,
      gateway: 'mender',
      panel: snippets(({ server, token }) => [{ label: 'mender_conf', text: menderConf(server, token) }]),
    },
    {
      key: 'simulated',
      icon: <ExperimentOutlined aria-hidden />,
      needs,
      panel: snippets(({ server, token }) => [
        { label: 'fleet', text: `npm run fleet -- --server ${server} --qrcode ${token} --devices 20` },
        {
          label: 'fleet_mdmesh',
          text: `npm run fleet -- --kind mdmesh --server ${server} --qrcode ${token} --devices 20`,
        },
        {
          label: 'fleet_headwind',
          text: `npm run fleet -- --kind headwind --server ${server} --qrcode ${token} --devices 20`,
        },
      ]),
    },
  ],
  ways: [
    { key: 'code', icon: <NumberOutlined aria-hidden />, form: 'code' },
    { key: 'qr', icon: <QrcodeOutlined aria-hidden />, panel: QrPanel },
    { key: 'permanent', icon: <PrinterOutlined aria-hidden />, needs, panel: PermanentPanel },
    { key: 'waiting', icon: <HourglassOutlined aria-hidden />, panel: WaitingPanel },
    { key: 'sheet', icon: <FileExcelOutlined aria-hidden />, drawer: 'sheet' },
  ],
}
