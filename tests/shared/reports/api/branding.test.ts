import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { textColorOn } from '#shared/reports/api/branding.ts'
import { forAll } from '#tests/support/for-all.ts'

/** The contrast of WCAG 2.2 between a colour and white or black. */
function contrast(color: string, text: '#ffffff' | '#000000'): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return text === '#ffffff' ? 1.05 / (light + 0.05) : (light + 0.05) / 0.05
}

test('the text on each colour has a contrast of at least 4.5', () => {
  const colors = fc.integer({ min: 0, max: 0xffffff })
  forAll(colors, (value) => {
    const color = `#${value.toString(16).padStart(6, '0')}`
    expect(contrast(color, textColorOn(color))).toBeGreaterThanOrEqual(4.5)
  })
  expect([textColorOn('#ffffff'), textColorOn('#000000'), textColorOn('#1d4ed8')]).toEqual([
    '#000000',
    '#ffffff',
    '#ffffff',
  ])
})
