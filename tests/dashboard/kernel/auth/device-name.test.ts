import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { deviceNameOf } from '#dashboard/kernel/auth/device-name.ts'
import { runs } from '#tests/support/runs.ts'

const KHTML = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36`,
    'Chrome on Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 15; SM-S921B) ${KHTML} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${KHTML} HeadlessChrome/140.0.0.0 Safari/537.36`,
    'Chrome on Linux',
  ],
  ['curl/8.14.1', 'curl'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'A browser on Linux'],
  ['<script>alert(1)</script>', 'Unknown device'],
  ['', 'Unknown device'],
])('%s is shown as %s', (user_agent, device) => {
  expect(deviceNameOf(user_agent)).toBe(device)
})

test('nothing of a User-Agent is shown but known names', () => {
  const words = /^(?:Unknown device|curl|A browser on [A-Za-z]+|[A-Za-z ]+(?: on [A-Za-z]+)?)$/
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => words.test(deviceNameOf(text))),
    runs(300),
  )
})
