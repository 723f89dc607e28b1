// Prints every page of the console with its permission, as JSON.
import { pageList } from '@mdm/contract'

const rows = pageList.map(({ name, path, needs, end_type, group, title }) => ({
  name,
  path,
  needs,
  end_type,
  group,
  title: title.en,
}))
console.log(JSON.stringify(rows, null, 2))
