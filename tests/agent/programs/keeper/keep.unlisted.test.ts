import { expect, test } from 'bun:test'
import { unlistedIn } from '#agent/programs/keeper/keep.ts'
import type { StoredFile } from '#agent/programs/keeper/store.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { NO_STORE, RESTIC } from '#tests/support/agent/keeper.ts'
import { freeHost } from '#tests/support/fake-host.ts'

const [LISTED, OTHER] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string]
const CAT = `/restic --key-hint=key cat snapshot ${OTHER}`

const file = (name: string): StoredFile => ({
  ...{ folder: 'snapshots', name, sha256: name, size: 1, at: 0 },
})
const files = [file(LISTED), file(OTHER), { ...file('c'), sha256: undefined }]
const listed = [{ id: LISTED, claimed: 0, tags: [] }]
const opened = { store: NO_STORE, name: 'shop', password: new Secret('password'), key: 'key' }

const find = (host: ReturnType<typeof freeHost>) =>
  unlistedIn(host, RESTIC, opened, { files, listed })

test.each([
  'ciphertext verification failed',
  'not supported encoding format',
  'trying to decrypt invalid data: ciphertext too short',
  'unexpected end of JSON input',
  'json: cannot unmarshal array into Go value of type data.Snapshot',
  "invalid character 'h' looking for beginning of value",
  'invalid input: magic number mismatch',
  'invalid length for ID: "\\"zz\\""',
  'parsing time "no space left on device" as "2006-01-02T15:04:05Z07:00"',
  'Time.UnmarshalJSON: input is not a JSON string',
])('a snapshot is garbage of which restic says: %s', async (reason) => {
  const host = freeHost()
  host.fail(CAT, `Fatal: could not find snapshot: failed to load snapshot bbbbbbbb: ${reason}`)

  expect(await find(host)).toEqual([file(OTHER)])
})

test.each([
  'Fatal: could not find snapshot: failed to load snapshot bbbbbbbb: open /tmp/a: no space left on device',
  'Fatal: could not find snapshot: failed to load snapshot bbbbbbbb: read: input/output error',
  'Fatal: could not find snapshot: failed to load snapshot bbbbbbbb: unexpected EOF',
  'Fatal: could not find snapshot: no matching ID found for prefix "bbbb"',
  'Fatal: config cannot be loaded: ciphertext verification failed',
  'fork/exec /restic: cannot allocate memory',
])('nothing is removed after another failure: %s', async (failure) => {
  const host = freeHost()
  host.fail(CAT, failure)

  await expect(find(host)).rejects.toThrow(failure)
})

test('nothing is known of the others when restic leaves out one that it can read', async () => {
  await expect(find(freeHost())).rejects.toThrow(
    'restic did not list the snapshot bbbbbbbb: nothing is removed in this run',
  )
})

test('a storage that does not answer has no garbage', async () => {
  const host = freeHost()
  host.fail(CAT, 'dial tcp 127.0.0.1:8000: connect: connection refused')

  await expect(find(host)).rejects.toThrow('The target did not answer')
})
