import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab<T extends string> {
  value: T
  name: string
  content: ReactNode
}

interface TabsProps<T extends string> {
  /** What they are parts of: `Parts of example.com`. */
  label: string
  tabs: readonly Tab<T>[]
  value: T
  onChange: (value: T) => void
}

/** Parts of a page, one of which is shown. Arrows move between the tabs, Enter opens one. */
export function Tabs<T extends string>({ label, tabs, value, onChange }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(next: T) => onChange(next)} className="min-w-0">
      <Base.List
        aria-label={label}
        className="mb-5 flex gap-1 overflow-x-auto border-b border-line max-sm:-mx-4 max-sm:px-4"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            ref={tab.value === value ? showTab : null}
            className="min-h-10 shrink-0 border-b-2 border-transparent px-3 text-muted -outline-offset-2 transition hover:text-text data-active:border-accent data-active:font-medium data-active:text-accent"
          >
            {tab.name}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="flex flex-col gap-5 outline-none">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}

/** On a phone the open tab may be outside the visible part of the list. */
function showTab(tab: HTMLElement | null): void {
  const list = tab?.parentElement
  if (tab && list) list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2
}
