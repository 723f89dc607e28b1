// Refuses commits since the rule began whose subject is not `area: imperative subject` within 72 characters. Merges are
// exempt. A shallow clone does not say what came since, so there it asks nothing.
import { spawnSync } from 'node:child_process'

const rule_began_after = '6d27dffc'
const git = (...args) => spawnSync('git', args, { encoding: 'utf8' })
const is_shallow = git('rev-parse', '--is-shallow-repository').stdout.trim() !== 'false'
if (is_shallow || git('cat-file', '-e', `${rule_began_after}^{commit}`).status !== 0) {
  console.log(`commit subjects are not checked: the history does not reach back to ${rule_began_after}`)
  process.exit(0)
}
const { stdout } = git('log', '--no-merges', '--format=%h %s', `${rule_began_after}..HEAD`)
const commits = stdout.split('\n').filter((line) => line !== '')
const wrong = commits.filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1)
  return [...subject].length > 72 || !/^[a-z0-9][a-z0-9 ,./-]*: \S.*[^.\s]$/.test(subject)
})
for (const line of wrong) console.error(`not \`area: imperative subject\` within 72 characters: ${line}`)
process.exit(wrong.length > 0 ? 1 : 0)
