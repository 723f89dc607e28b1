// The limit P10 is held against: PGlite with the product's extension and settings, one query, nothing else.
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

const db = await PGlite.create(process.argv[2], {
  extensions: { pg_trgm },
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
})
await db.query('SELECT 1')
process.send('open')
process.on('SIGTERM', () => db.close().then(() => process.exit(0)))
setInterval(() => {}, 1000)
