// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import i18next from 'i18next'
import { I18nextProvider, initReactI18next } from 'react-i18next'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountTypes, gatewayKinds } from '@mdm/contract'
import { useSessionStore } from '../../../core/session-store.ts'
import { KindChooser } from './KindChooser.tsx'
import { texts } from './texts/en.ts'

beforeEach(() =>
  i18next.use(initReactI18next).init({
    lng: 'en',
    resources: { en: { 'devices/enrolment': texts } },
    interpolation: { escapeValue: false },
  }),
)
afterEach(cleanup)

function show(session: object) {
  const onChoose = vi.fn()
  useSessionStore.setState({
    token: 't',
    session: { account_type: 1, permissions: ['deviceList:*'], gateways: ['mdmesh'], ...session } as never,
  })
  render(
    <I18nextProvider i18n={i18next}>
      <KindChooser onChoose={onChoose} />
    </I18nextProvider>,
  )
  return { onChoose, named: (name: string) => screen.queryByRole('button', { name }) }
}

test('a choice is told', () => {
  const { onChoose, named } = show({})
  named('Android handheld')!.click()
  expect(onChoose).toHaveBeenCalledWith(expect.objectContaining({ key: 'android', form: 'mdmesh' }))
})

test('what is turned off cannot be chosen, and how it is turned on is said to people of the provider alone', () => {
  expect(show({ gateways: [] }).named('Android handheld')).toBe(null)
  const off = screen.getAllByText('Turned off on this server. Whoever runs the server can turn it on.')
  expect(off).toHaveLength(gatewayKinds.length)
  cleanup()
  show({ gateways: [], account_type: accountTypes.ops_account })
  expect(screen.getByText(/Set MDM_GATEWAY_MDMESH=true/)).toBeTruthy()
})

test('ways that a person may not use are absent', () => {
  const { named } = show({ permissions: ['deviceList:register'] })
  expect(named('Linux machine')).toBe(null)
  expect(named('Device that shows a code')).toBeTruthy()
})
