import { encode } from 'uqr'

/** The blank edge that readers need (ISO/IEC 18004). */
const EDGE = 4

/** A QR code, drawn in the browser: what it says is sent nowhere. */
export function QrCode({ text, name }: { text: string; name: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: EDGE })
  return (
    <svg
      role="img"
      aria-label={name}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-52 shrink-0 rounded-lg border border-line bg-white"
    >
      <path d={pathOf(data)} className="fill-black" />
    </svg>
  )
}

/** Draws each row of dark modules as rectangles. */
const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
