import { expect, it } from 'vitest'
import { SettingsError } from './config.ts'
import { databaseBusy, unusable } from './lib/database-errors.ts'
import { startFault } from './start-fault.ts'

it.each([
  ['settings that are wrong', new SettingsError(['MDM_HTTP_PORT is no port']), 2, /^Cannot start:\n  - MDM_HTTP_PORT/],
  [
    'a database of before the first release',
    unusable('this database was made before'),
    1,
    /: this database was made before$/,
  ],
  ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' }), 1, /no room on the disk/],
  ['a port that is taken', Object.assign(new Error('listen'), { code: 'EADDRINUSE' }), 1, /listen\. Choose another/],
  ['a server that is not there', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 1, /cannot be reached/],
  ['a database that is busy', databaseBusy(5), 1, /waited 5 ms/],
])('a start that fails for %s says so in one sentence', (_, error, exit_code, sentence) => {
  expect(startFault(error)).toEqual({ exit_code, said: [expect.stringMatching(sentence)] })
})

it('a start that fails for what nobody foresaw shows where', () => {
  const error = new Error('odd')
  expect(startFault(error)).toEqual({ exit_code: 1, said: ['Cannot start:', error] })
})
