import { useTranslation } from 'react-i18next'
import type { OsBuildDetail } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import { useSectionName } from '../configure/public.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { Bytes, Code, CopyId, OrDash } from '../../ui/value/values.tsx'

type App = OsBuildDetail['contents']['apps'][number]
type Part = { key: string; kind: string; name: string; place: string; size: number | null; sha256: string | null }

/** What is in a build: its apps first, as people ask for them. */
export function Contents({ build }: { build: OsBuildDetail }) {
  const { t } = useTranslation('os-custom')
  const sectionName = useSectionName()
  const { apps, files, bases, picture, configuration, file_name } = build.contents
  const appColumns: Column<App>[] = [
    { key: 'name', title: t('app.name'), dataIndex: 'name' },
    { key: 'package', title: t('app.package'), render: (_, app) => <Code value={app.package} /> },
    { key: 'version_name', title: t('app.version'), dataIndex: 'version_name' },
    { key: 'version_code', title: t('app.version_code'), align: 'right', dataIndex: 'version_code' },
    { key: 'origin', title: t('app.origin'), render: (_, app) => t(app.is_inherited ? 'inherited' : 'own') },
    { key: 'size', title: t('column.size'), align: 'right', render: (_, { size }) => <Bytes value={size} /> },
    { key: 'sha256', title: 'SHA-256', render: (_, { sha256 }) => <CopyId value={sha256} short={8} /> },
  ]
  const parts: Part[] = [
    ...bases.map((base, at) => ({
      key: `base ${at}`,
      kind: t(`base_kind.${base.kind as 'sum' | 'os' | 'config'}`),
      name: base.file_name,
      place: '',
      size: base.size,
      sha256: base.sha256,
    })),
    ...files.map((file, at) => ({
      key: `file ${at}`,
      kind: t('file.one'),
      name: file.name,
      place: file.path,
      size: file.size,
      sha256: file.sha256,
    })),
    ...(picture ? [{ key: 'picture', kind: t('picture.label'), place: '', ...picture }] : []),
    ...(configuration
      ? [
          {
            key: 'configuration',
            kind: t('configuration.label'),
            name: `${configuration.name} v${configuration.version}`,
            place: listText(configuration.sections.map(sectionName)),
            size: null,
            sha256: null,
          },
        ]
      : []),
  ]
  const partColumns: Column<Part>[] = [
    { key: 'kind', title: t('part'), dataIndex: 'kind' },
    { key: 'name', title: t('part_name'), dataIndex: 'name' },
    { key: 'place', title: t('part_place'), render: (_, { place }) => place },
    {
      key: 'size',
      title: t('column.size'),
      align: 'right',
      render: (_, { size }) => <OrDash>{size !== null && <Bytes value={size} />}</OrDash>,
    },
    {
      key: 'sha256',
      title: 'SHA-256',
      render: (_, { sha256 }) => <CopyId value={sha256} short={8} />,
    },
  ]
  return (
    <>
      <section className="os-custom-part" aria-label={t('apps_of_build')}>
        <h2>{t('apps_of_build')}</h2>
        {apps.length === 0 ? (
          <p className="dim">{t('apps_none')}</p>
        ) : (
          <ListTable<App> rows={apps} columns={appColumns} rowKey="package" />
        )}
      </section>
      <section className="os-custom-part" aria-label={t('parts')}>
        <h2>{t('parts')}</h2>
        <p className="dim">{t('file_name', { name: file_name })}</p>
        <ListTable<Part> rows={parts} columns={partColumns} rowKey="key" />
      </section>
    </>
  )
}
