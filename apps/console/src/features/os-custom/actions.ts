import { isOsBuildOpen, isOsOut, nextOsBuild, nextOsCustom } from '@mdm/contract'
import type { OsBuildBrief, OsCustomRow } from '@mdm/contract'
import { useTranslation } from 'react-i18next'
import { api, useWrite } from '../../core/api.ts'
import { startDownload } from '../../core/start-download.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'

export type BuildDialog = 'release' | 'offline' | 'cancel' | 'delete_build'

/** What can be done with a build; what the state forbids says why. */
export function useBuildActions(open: (what: BuildDialog, build: OsBuildBrief) => void) {
  const { t } = useTranslation('os-custom')
  const retry = useWrite(api.osCustom.retry_build, { done: t('retry_done') })
  const download = useWrite(api.osCustom.download_build, { onSuccess: startDownload })
  return (build: OsBuildBrief, is_other_open = false): RowAction[] => {
    const is_out = build.release !== null && isOsOut(build.release)
    const is_open = isOsBuildOpen(build.state)
    return [
      is_open
        ? {
            needs: 'userOsCustomList:build',
            label: t('cancel_build'),
            danger: true,
            onSelect: () => open('cancel', build),
          }
        : {
            needs: 'userOsCustomList:build',
            label: t('retry_build'),
            disabled_reason: !nextOsBuild(build, 'retry')
              ? t('why_not.not_failed')
              : is_other_open
                ? t('why_not.building')
                : undefined,
            onSelect: () => void retry.run({ kid: build.kid }),
          },
      is_out
        ? {
            needs: 'userOsCustomList:release',
            label: t('offline.action'),
            danger: true,
            onSelect: () => open('offline', build),
          }
        : {
            needs: 'userOsCustomList:release',
            label: t('release.action'),
            disabled_reason: build.release === null ? t('why_not.not_done') : undefined,
            onSelect: () => open('release', build),
          },
      {
        label: t('download_build'),
        disabled_reason: build.release === null ? t('why_not.not_done') : undefined,
        onSelect: () => void download.run({ kid: build.kid }),
      },
      {
        needs: 'userOsCustomList:delete',
        label: t('delete_build.action'),
        danger: true,
        disabled_reason: is_open ? t('why_not.building') : is_out ? t('why_not.released') : undefined,
        onSelect: () => open('delete_build', build),
      },
    ]
  }
}

type Standing = Pick<OsCustomRow, 'state' | 'build'>
/** Why none can be built now. */
export function useWhyNotBuild() {
  const { t } = useTranslation('os-custom')
  return ({ state, build }: Standing): string | undefined => {
    if (!nextOsCustom(state, 'build')) return t('why_not.abandoned')
    return build && isOsBuildOpen(build.state) ? t('why_not.building') : undefined
  }
}
