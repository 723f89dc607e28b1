import type { Invitation } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { notify } from '../../core/notices.ts'

type State = { link: string | null; show: (link: string | null) => void }
/** The link that is shown once, where no mail can be sent: by the shell, so that it stays when the form is left. */
export const useInvitationLink = create<State>((set) => ({ link: null, show: (link) => set({ link }) }))

/** Says what became of an invitation: sent, or to be handed over. */
export function useAnnounceInvitation(): (invitation: Invitation | null) => void {
  const { t } = useTranslation('accounts')
  return (invitation) => {
    if (invitation?.sent_to) notify.ok(t('invitation.sent', { to: invitation.sent_to }))
    if (invitation?.link_with_token) useInvitationLink.getState().show(invitation.link_with_token)
  }
}
