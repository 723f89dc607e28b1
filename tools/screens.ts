// Prints every screen of the console with its permission, as JSON.
import { screens } from '../apps/console/src/screens.ts'

const rows = screens.map(({ path, needs, end_type, group, title }) => ({ path, needs, end_type, group, title }))
console.log(JSON.stringify(rows, null, 2))
