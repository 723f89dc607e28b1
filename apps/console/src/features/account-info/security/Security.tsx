import type { Info } from '../AccountInfoPage.tsx'
import { Identity } from './Identity.tsx'
import { Passkeys } from './Passkeys.tsx'
import { PasswordChange } from './PasswordChange.tsx'
import { TwoFactor } from './TwoFactor.tsx'

export const Security = ({ info }: { info: Info }) => (
  <>
    <PasswordChange info={info} />
    <TwoFactor info={info} />
    <Passkeys />
    <Identity info={info} />
  </>
)
