import { useTranslation } from 'react-i18next'
import type { OsBuildBrief, OsBuildState, OsCustomState } from '@mdm/contract'
import { ProgressBar } from '../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import './os-custom.css'

const tones: Record<OsCustomState, Tone> = { enabled: 'good', abandoned: 'quiet', abnormal: 'bad' }
const build_tones: Record<OsBuildState, Tone> = {
  waiting: 'quiet',
  running: 'moving',
  completed: 'good',
  failed: 'bad',
  canceled: 'quiet',
}

export function CustomState({ state }: { state: OsCustomState }) {
  const { t } = useTranslation('os-custom')
  return <StateBadge tone={tones[state]}>{t(`state.${state}`)}</StateBadge>
}

/** Where a build stands; while it runs, in which step and how far. */
export function BuildState({ build }: { build: OsBuildBrief }) {
  const { t } = useTranslation('os-custom')
  const { state, step, progress, os_version, fault } = build
  return (
    <span className="os-build-state">
      <StateBadge tone={build_tones[state]}>{t(`build.${state}`)}</StateBadge>
      {state === 'running' && (
        <>
          <span className="dim">{t(`step.${step}`)}</span>
          <ProgressBar percent={progress} label={`${os_version} ${t(`step.${step}`)}`} />
        </>
      )}
      {state === 'failed' && <span className="os-build-fault">{fault}</span>}
    </span>
  )
}
