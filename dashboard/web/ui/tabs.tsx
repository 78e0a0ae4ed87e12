import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export interface Tab<T extends string> {
  value: T
  name: string
  content: ReactNode
}

/** Tabs beside each other that belong together. */
export interface TabGroup<T extends string> {
  /** Stands above its tabs; empty for none. */
  name: string
  tabs: readonly Tab<T>[]
}

interface TabsProps<T extends string> {
  /** What they are parts of: `Parts of example.com`. */
  label: string
  groups: readonly TabGroup<T>[]
  value: T
  onChange: (value: T) => void
}

/** Parts of a page, one of which is shown. Arrows move between the tabs, Enter opens one. */
export function Tabs<T extends string>({ label, groups, value, onChange }: TabsProps<T>) {
  const tabs = groups.flatMap((group) => group.tabs)
  return (
    <Base.Root value={value} onValueChange={(next: T) => onChange(next)} className="min-w-0">
      <Base.List
        aria-label={label}
        className="mb-5 flex items-end gap-4 overflow-x-auto border-b border-line max-sm:-mx-4 max-sm:px-4"
      >
        {groups.map((group) => (
          <div key={group.name} className="shrink-0">
            {group.name !== '' && <p className="px-3 text-xs text-muted">{group.name}</p>}
            <div className="flex gap-1">
              {group.tabs.map((tab) => (
                <Base.Tab
                  key={tab.value}
                  value={tab.value}
                  ref={tab.value === value ? showTab : null}
                  className="min-h-10 shrink-0 border-b-2 border-transparent px-3 text-muted -outline-offset-2 transition hover:text-text data-active:border-accent data-active:font-medium data-active:text-accent"
                >
                  {tab.name}
                </Base.Tab>
              ))}
            </div>
          </div>
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
  const list = tab?.closest<HTMLElement>('[role=tablist]')
  if (!tab || !list) return
  const start = tab.getBoundingClientRect().left - list.getBoundingClientRect().left
  list.scrollLeft += start - (list.clientWidth - tab.offsetWidth) / 2
}
