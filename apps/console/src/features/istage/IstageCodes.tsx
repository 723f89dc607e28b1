import { DownloadOutlined, QrcodeOutlined, SendOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { IstageConfig } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { saveText } from '../../lib/save-text.ts'
import './istage.css'

const PushDrawer = lazy(() => import('./PushDrawer.tsx'))

/** Hands the configuration to the browser as a file of JSON. */
export const useExport = () =>
  useWrite(api.istageConfig.export, {
    onSuccess: ({ file_name, private_file }) => saveText(file_name, `${JSON.stringify(private_file, null, 2)}\n`),
  })

/** How a completed configuration gets to devices: as a file that is copied to them, or pushed through MDM. */
export function IstageCodes({ config }: { config: Pick<IstageConfig, 'kid' | 'name'> }) {
  const { t } = useTranslation(['istage', 'istage/codes'])
  const exporting = useExport()
  const [is_pushing, setPushing] = useState(false)
  return (
    <div className="istage-ways">
      <May needs="istageConfigCode">
        <section>
          <h2>{t('istage/codes:codes')}</h2>
          <p className="dim">{t('istage/codes:intro')}</p>
          <Link to={link.istageConfigCode.to({ kid: config.kid })}>
            <Button type="primary" icon={<QrcodeOutlined aria-hidden />}>
              {t('istage/codes:make')}
            </Button>
          </Link>
        </section>
      </May>
      <May needs="istageListIstageConfig:export">
        <section>
          <h2>{t('ways.export')}</h2>
          <p className="dim">{t('ways.export_hint')}</p>
          <Button
            icon={<DownloadOutlined aria-hidden />}
            loading={exporting.isPending}
            onClick={() => void exporting.run({ kid: config.kid })}
          >
            {t('ways.export_button')}
          </Button>
        </section>
      </May>
      <May needs="deviceDetailConfig:edit">
        <section>
          <h2>{t('ways.push')}</h2>
          <p className="dim">{t('ways.push_hint')}</p>
          <Button icon={<SendOutlined aria-hidden />} onClick={() => setPushing(true)}>
            {t('ways.push_button')}
          </Button>
        </section>
      </May>
      {is_pushing && (
        <Suspense>
          <PushDrawer config={config} onClose={() => setPushing(false)} />
        </Suspense>
      )}
    </div>
  )
}
