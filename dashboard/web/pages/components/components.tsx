import { Page } from '#dashboard/web/ui/page.tsx'
import { Actions } from './actions.tsx'
import { Colours } from './colours.tsx'
import { FiltersExample } from './filters.tsx'
import { Inputs } from './inputs.tsx'
import { Messages } from './messages.tsx'
import { States } from './states.tsx'
import { Tables } from './tables.tsx'
import { TabsExample } from './tabs.tsx'

/** The components of the UI in all their forms, to look at when one changes. */
export function ComponentsPage() {
  return (
    <Page title="Components" about="The colours, type and controls that the pages are made of.">
      <div
        data-examples
        className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-2"
      >
        <Colours />
        <States />
        <Actions />
        <Inputs />
        <Messages />
        <Tables />
        <TabsExample />
        <FiltersExample />
      </div>
    </Page>
  )
}
