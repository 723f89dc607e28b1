import { useTranslation } from 'react-i18next'
import type { OscsFile } from '@mdm/contract'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { Bytes } from '../../ui/value/values.tsx'
import './oscs-base.css'

const tones: Record<OscsFile['state'], Tone> = { checking: 'moving', ready: 'good', failed: 'bad' }

/** A package: what it is called, how large it is and whether it was found to be one. */
export function FileState({ of }: { of: OscsFile }) {
  const { t } = useTranslation('oscs-base')
  return (
    <span className="oscs-file" title={`SHA-256 ${of.sha256}`}>
      <span className="oscs-file-name">
        {of.file_name} <Bytes value={of.size} />
      </span>
      <StateBadge tone={tones[of.state]}>{t(`file.${of.state}`)}</StateBadge>
      {of.fault && <span className="oscs-fault">{of.fault}</span>}
    </span>
  )
}
