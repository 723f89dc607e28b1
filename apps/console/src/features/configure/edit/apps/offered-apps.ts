import { createContext, useContext } from 'react'
import type { OfferedApp } from '@mdm/contract'
import { api, useCall } from '../../../../core/api.ts'

/** Whose apps a section is about: the account's, or, for the platform's configuration, the provider's. */
export const AppsOfProvider = createContext(false)

/** Apps that devices are given, by part of their name or package. */
export function useOfferedApps(text: string | undefined, packages?: readonly string[]): readonly OfferedApp[] {
  const is_provider = useContext(AppsOfProvider)
  const input = { ...(text && { text }), ...(packages && { packages: [...packages] }) }
  const of_account = useCall(api.terminalConfig.list_app, input, { enabled: !is_provider, keepPrevious: true })
  const of_provider = useCall(api.opsTerminalConfig.list_app, input, { enabled: is_provider, keepPrevious: true })
  return (is_provider ? of_provider : of_account).data ?? []
}

/** What the app of this package says can be set of it. */
export function useAppSettings(name: string) {
  const is_provider = useContext(AppsOfProvider)
  const of_account = useCall(api.terminalConfig.app_settings, { package: name }, { enabled: !is_provider })
  const of_provider = useCall(api.opsTerminalConfig.app_settings, { package: name }, { enabled: is_provider })
  return is_provider ? of_provider : of_account
}

export const optionOf = ({ package: value, name }: OfferedApp) => ({
  value,
  label: name === value ? value : `${name} (${value})`,
})
