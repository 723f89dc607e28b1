import { api, send } from './api.ts'
import { notify } from './notices.ts'
import { useMenu } from './start.ts'

/** After the menu was edited: whoever edits it sees the change at once, everyone else at the next start. */
export const refreshMenu = (): Promise<void> =>
  send(api.menuTree.list, { p_id: 'ROOT' }).then((nodes) => useMenu.setState({ nodes }), notify.fail)
