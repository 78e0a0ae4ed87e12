import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { literalWords } from '#agent/kernel/host/real/literal-words.ts'

test('words without a meaning for systemd are given as they are', () => {
  expect(literalWords(['php', 'a;b', '%n', '"', '\\'])).toEqual(['php', 'a;b', '%n', '"', '\\'])
})

test.each([['$x'], ['--exec=$GLOBALS'], ['a $$ b; c'], [';']])('%j reaches its program', (word) => {
  const words = ['printf', '%s|', word, 'a;b', '"c"', "it's", 'd\\e', 'two\nlines', '']
  const [program = '', ...args] = literalWords(words)
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' })

  expect([program, ...args].filter((each) => /\$|^;$/.test(each))).toEqual([])
  expect([status, stdout]).toEqual([
    0,
    words
      .slice(2)
      .map((each) => `${each}|`)
      .join(''),
  ])
})
