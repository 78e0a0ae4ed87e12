import { expect, test } from 'bun:test'
import type { FeederOutput } from '#agent/kernel/host/feeder-output.ts'
import { FeederFailed, refuseFailedFeeder } from '#agent/kernel/sandbox/feeder-failed.ts'

const fed = (code: number, stderr: string, before?: FeederOutput): FeederOutput => ({
  ...{ code, stderr, bytes: 0, sha256: '', end: '' },
  ...(before && { fed: before }),
})
const outputOf = (code: number, from: FeederOutput) => ({ code, stdout: '', stderr: '', fed: from })

function culprit(...given: Parameters<typeof refuseFailedFeeder>): number | undefined {
  try {
    refuseFailedFeeder(...given)
    return undefined
  } catch (error) {
    return error instanceof FeederFailed ? error.depth : Number.NaN
  }
}

test.each([
  ['nothing failed', 0, fed(0, '', fed(0, 'a note')), undefined],
  [
    'the source failed, and those after it lacked the rest',
    1,
    fed(1, 'cut off', fed(2, 'error 1194')),
    2,
  ],
  [
    'the one between failed, and its source lost its reader',
    1,
    fed(1, 'cut off', fed(5, 'errno 32 on write')),
    1,
  ],
  [
    'the last one failed, and the others lost their reader',
    1,
    fed(1, 'EPIPE', fed(5, 'Broken pipe')),
    undefined,
  ],
  [
    'the last one failed, and the others lost the socket to their reader',
    1,
    fed(128, '', fed(1, 'gzip: stdout: Connection reset by peer', fed(1, 'write ECONNRESET'))),
    undefined,
  ],
  ['a program was killed without a word', 0, fed(0, '', fed(137, '')), 2],
])('finds the program that failed by itself: %s', (_, code, from, depth) => {
  expect(culprit(outputOf(code, from))).toBe(depth)
})

test('a status that is no failure is none', () => {
  expect(culprit(outputOf(0, fed(1, 'file changed as we read it')), [0, 1])).toBeUndefined()
})
