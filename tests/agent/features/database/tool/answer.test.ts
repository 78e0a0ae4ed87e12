import { expect, test } from 'bun:test'
import { answerOf, encodeAnswer } from '#agent/features/database/tool/answer.ts'

const of = (text: string, is_whole = true) =>
  answerOf({ answer: Buffer.from(text, 'latin1').toString('base64'), is_whole })

test('passes on what a page needs, and no cookie or policy of PHP', () => {
  const page = 'Set-Cookie: a=1\r\nContent-Type: text/html\r\nX-Frame-Options: deny\r\n\r\n\xff\n\n'

  expect(Buffer.from(encodeAnswer(of(page))).toString('latin1')).toBe(
    '{"status":200,"type":"text/html"}\n\xff\n\n',
  )
})

test.each([
  ['Status: 403 Forbidden\nContent-Type: text/html\n\nx', { status: 403, type: 'text/html' }],
  ['Location: ?db=a\r\n\r\n', { status: 302, type: '', location: '?db=a' }],
  [
    'content-disposition: attachment; filename=a\r\n\r\n',
    { status: 200, type: '', disposition: 'attachment; filename=a' },
  ],
])('reads %j', (text, head) => {
  expect(of(text).head).toEqual(head)
})

test('reports what is too long or no answer at all', () => {
  expect(() => answerOf({ answer: null, is_whole: false })).toThrow('show fewer rows')
  expect(() => of('Content-Type: text/html')).toThrow('PHP returned no answer')
})

test('an answer that was cut off is refused, though it has a head', () => {
  expect(() => of('Content-Type: text/plain\r\n\r\nCREATE TABLE', false)).toThrow(
    'Adminer stopped before the end of its answer',
  )
})
