import { screen } from '../../screen/screen.ts'

export const contentReportList = screen('/content-report-list', {
  group: 'mdm-manage',
  title: 'contentReportList',
  needs: 'contentReportList',
  end_type: 2,
  texts: ['content-report', 'accounts'],
  page: () => import('./ContentReportPage.tsx'),
})
export const contentReportScreens = [contentReportList]
