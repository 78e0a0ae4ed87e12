/** The sites of the demo are simulated: none of them has a page. */
export const isDemo = document.querySelector('meta[name="demo"]') !== null

/** Shown on every page of a demo. */
export function DemoMark() {
  if (!isDemo) return null
  return (
    <aside
      aria-label="Demo"
      className="bg-warn-soft px-4 py-1.5 text-center text-xs font-medium text-warn"
    >
      Demo: the servers and sites here are simulated. Nothing you do reaches a real machine.
    </aside>
  )
}
