import { useTranslation } from 'react-i18next'
import type { DeviceFile } from '@mdm/contract'
import { link } from '../../../core/links.ts'
import { notify } from '../../../core/notices.ts'
import { listText } from '../../../i18n/list-text.ts'
import { sameName } from '../../../lib/file-names.ts'
import { sorted } from '../../../shared/upload/folder-drop.ts'
import type { Found } from '../../../shared/upload/folder-drop.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { visibleName } from './device-names.ts'

const namesOf = (names: readonly string[]): string =>
  listText([...names.slice(0, 5).map(visibleName), names.length > 5 && '…'])
const topOf = ({ file, folders }: Found): string => folders[0] ?? file.name

/** Many files of a folder at once, both ways, over a session with the device. What carries them is loaded when it is needed. */
export function useManyFiles(of: { kid: string; path: string; sn: string; files: readonly DeviceFile[] }) {
  const { t } = useTranslation(['device-detail/files', 'common'])
  const { kid, path, sn, files } = of
  const where = { kid, path, to: link.deviceDetailFileManager.to({ kid, path }) }
  const jobs = () => import('./bulk/jobs.ts')
  return {
    download(chosen: readonly DeviceFile[]): void {
      const folder = chosen.length === 1 ? chosen[0]!.name : path.split('/').at(-1)
      const archive = `${[sn, folder]
        .filter(Boolean)
        .join('-')
        .replaceAll(/[\\/:*?"<>|\p{C}]/gu, '_')}.zip`
      jobs().then(({ downloadFiles }) => downloadFiles(where, chosen, archive), notify.fail)
    },
    async put(found: readonly Found[], empty: readonly string[][]): Promise<void> {
      const { valid, invalid } = sorted(found)
      if (invalid.length > 0)
        notify.fail(new Error(t('bulk.invalid', { names: namesOf(invalid.map(({ file }) => file.name)) })))
      if (valid.length === 0 && empty.length === 0) return
      const tops = [...new Set(valid.map(topOf))]
      const taken = tops.filter((name) => files.some((file) => sameName(file.name, name)))
      if (taken.length > 0) {
        const is_sure = await useQuestion.getState().ask({
          title: t('bulk.replace_title', { count: taken.length }),
          text: t('bulk.replace_text', { names: namesOf(taken) }),
          yes: t('replace_yes'),
          no: t('common:cancel'),
          is_danger: true,
        })
        if (!is_sure) return
      }
      await jobs().then(({ uploadFiles }) => uploadFiles(where, valid, empty), notify.fail)
    },
  }
}
