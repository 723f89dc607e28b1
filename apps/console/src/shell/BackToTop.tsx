import { UpOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'

const { after_px, offset_px } = constants.back_to_top

/** From this far down on (specification, 9). */
export const isFarDown = (scrolled: number): boolean => scrolled >= after_px

export function BackToTop() {
  const { t } = useTranslation('shell')
  const [is_shown, setShown] = useState(false)
  useEffect(() => {
    const look = () => setShown(isFarDown(scrollY))
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  if (!is_shown) return null
  return (
    <button
      type="button"
      className="back-to-top"
      style={{ bottom: offset_px }}
      aria-label={t('top')}
      title={t('top')}
      onClick={() => scrollTo({ top: 0, behavior: 'smooth' })}
    >
      <UpOutlined aria-hidden />
    </button>
  )
}
