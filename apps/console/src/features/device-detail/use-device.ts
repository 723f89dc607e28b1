import { useOutletContext } from 'react-router'
import type { TerminalDetail } from '@mdm/contract'

/** What the layout gives its tabs. `device` is undefined while loading, and for who may not read the device itself. */
export type DeviceContext = { kid: string; device: TerminalDetail | undefined; is_loading: boolean }
export const useDevice = (): DeviceContext => useOutletContext<DeviceContext>()
