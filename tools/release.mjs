// npm run release: mdm-VERSION-linux-ARCH.tar.gz, all that a server needs but Node.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleAgent } from '../apps/agent/bundle.mjs'
import { packDebian } from '../apps/agent/debian.mjs'
import { bundle, production, programs } from '../apps/server/bundle.mjs'
import { buildPackage } from '../apps/agent/debian-package.mjs'
import { billOfMaterials } from './sbom.mjs'
import { root, step } from './terminal.mjs'

const usage = `npm run release -- [--out DIR] [--with-node] [--without-agent] [--deb] [--sign KEY]
  --out DIR        where the archive goes (./dist)
  --with-node      puts the Node that runs this into the archive; it has to run on the target
  --without-agent  leaves out the agent's package
  --deb            makes a Debian package of the same beside the archive
  --sign KEY       signs the archive with this secret key of minisign, which asks for its password
`
const { version } = JSON.parse(readFileSync(join(root, 'apps/server/package.json'), 'utf8'))
const starter = `#!/bin/sh
# Starts the server, or does other work of an operator: mdm --help
own=$(dirname "$(readlink -f "$0")")/..
node=$own/node
[ -x "$node" ] || node=node
exec "$node" --enable-source-maps "$own/apps/server/dist/mdm.js" "$@"
`
/** Of what stays outside of the bundle, the parts that the server reads. */
const outside = ['@electric-sql/pglite', '@bokuweb/zstd-wasm', '@embedpdf/fonts-sc']
const extensions = ['pg_trgm']
function isNeeded(path) {
  if (path.includes('/fonts-sc/fonts/') && !path.endsWith('-Regular.otf')) return false
  if (/\.(map|cts|cjs)$|\.d\.ts$|\.md$/.test(path) && !/LICENSE|NOTICE/i.test(path)) return false
  const extension = /pglite\/dist\/(?:contrib\/)?([a-z_]+)\.(?:tar\.gz|js)$/.exec(path)?.[1]
  if (path.endsWith('.tar.gz')) return extensions.includes(extension)
  if (path.includes('/pglite/dist/contrib/')) return extensions.includes(extension)
  return !/\/pglite\/(src|dist\/(live|worker|vector|node-postgres|pg_[a-z]+\/))|\/zstd-wasm\/dist\/(web|esm)/.test(path)
}

/** When the sources were last changed: a build of today is no other than one of tomorrow. */
function timeOfSources() {
  try {
    return execFileSync('git', ['log', '-1', '--format=%ct'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return process.env.SOURCE_DATE_EPOCH ?? String(Math.floor(statSync(join(root, 'package-lock.json')).mtimeMs / 1000))
  }
}

async function layOut(tree, work, { has_node, has_agent }) {
  const server = join(tree, 'apps/server')
  mkdirSync(server, { recursive: true })
  await bundle(
    { main: 'apps/server/src/main.ts', mdm: 'apps/server/src/operate/mdm.ts', ...programs },
    join(server, 'dist'),
    production,
  )
  copyFileSync(join(root, 'apps/server/dist/pglite-image.tar.gz'), join(server, 'dist/pglite-image.tar.gz'))
  copyFileSync(join(root, 'apps/server/package.json'), join(server, 'package.json'))
  for (const pages of ['apps/console/dist', 'apps/terminal/dist'])
    cpSync(join(root, pages), join(tree, pages), {
      recursive: true,
      filter: (path) => !/\.map$|\/\.built$/.test(path),
    })
  for (const name of outside)
    cpSync(join(root, 'node_modules', name), join(tree, 'node_modules', name), { recursive: true, filter: isNeeded })
  for (const name of [
    'docs',
    'deploy',
    'LICENSE',
    'CHANGELOG.md',
    'SECURITY.md',
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
  ])
    cpSync(join(root, name), join(tree, name), { recursive: true })
  mkdirSync(join(tree, 'bin'))
  writeFileSync(join(tree, 'bin/mdm'), starter)
  chmodSync(join(tree, 'bin/mdm'), 0o755)
  if (has_node) copyFileSync(process.execPath, join(tree, 'node'))
  writeFileSync(join(tree, 'sbom.cdx.json'), billOfMaterials())
  if (has_agent)
    packDebian({ bundle: await bundleAgent(join(work, 'agent')), out: join(tree, 'agent'), has_node: false })
}

/** `mdm install` writes the unit and starts the server, as it does from an archive. */
function packServer(tree, name, out, has_node) {
  const mdm = `"$DPKG_ROOT/opt/${name}/bin/mdm"`
  const rooted = `\${DPKG_ROOT:+--root "$DPKG_ROOT"}`
  const scripts = {
    postinst: `#!/bin/sh\nset -e\nif [ "$1" = configure ]; then ${mdm} install ${rooted}; fi\n`,
    prerm: `#!/bin/sh\nset -e\nif [ "$1" = remove ]; then ${mdm} uninstall ${rooted}; fi\n`,
    // Settings and data of a site go with a purge only.
    postrm: `#!/bin/sh\nset -e\nif [ "$1" = purge ]; then rm -rf "$DPKG_ROOT/etc/mdm" "$DPKG_ROOT/var/lib/mdm"; fi\n`,
  }
  const description =
    'Server and console of the mobile device management\n Manages fleets of handheld terminals from a browser.'
  return buildPackage({ tree, name: 'mdm-server', version, description, has_node, scripts, out })
}

/** Returns the paths of the archive and of what is made beside it. */
export async function release({
  out = join(root, 'dist'),
  has_node = false,
  has_agent = true,
  has_package = false,
  key,
} = {}) {
  const name = `mdm-${version}-linux-${process.arch}`
  const work = mkdtempSync(join(tmpdir(), 'mdm-release-'))
  try {
    const tree = join(work, 'opt', name)
    await layOut(tree, work, { has_node, has_agent })
    mkdirSync(out, { recursive: true })
    const archive = join(out, `${name}.tar.gz`)
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w']
    const tar = [
      '--sort=name',
      `--mtime=@${timeOfSources()}`,
      ...owner,
      '-C',
      dirname(tree),
      '-cf',
      join(work, 'release.tar'),
      name,
    ]
    execFileSync('tar', tar)
    execFileSync('gzip', ['-n', '-9', join(work, 'release.tar')])
    copyFileSync(join(work, 'release.tar.gz'), archive)
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
    writeFileSync(`${archive}.sha256`, `${sha256}  ${name}.tar.gz\n`)
    if (key) execFileSync('minisign', ['-S', '-s', key, '-t', `mdm ${version}`, '-m', archive], { stdio: 'inherit' })
    if (!has_package) return [archive]
    const root_of_package = join(work, 'package')
    mkdirSync(root_of_package)
    renameSync(dirname(tree), join(root_of_package, 'opt'))
    return [archive, packServer(root_of_package, name, out, has_node)]
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    'with-node': { type: 'boolean' },
    'without-agent': { type: 'boolean' },
    deb: { type: 'boolean' },
    sign: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(usage)
else {
  const options = {
    has_node: values['with-node'] === true,
    has_agent: values['without-agent'] !== true,
    has_package: values.deb === true,
    ...(values.out === undefined ? {} : { out: resolve(values.out) }),
    ...(values.sign === undefined ? {} : { key: resolve(values.sign) }),
  }
  for (const path of await release(options)) step(`${path} ${(statSync(path).size / 1e6).toFixed(1)} MB`)
}
