import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Empty, Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import { Actions } from './actions.tsx'
import { Inputs, Tables } from './inputs.tsx'
import { Colours, States } from './states.tsx'

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

const options = (...names: string[]) => names.map((name) => ({ value: name, name }))

function FiltersExample() {
  const [values, setValues] = useState<Values>({ tier: 'small,medium' })
  return (
    <Card title="Filters">
      <FilterBar
        page="components"
        filters={[
          { name: 'tier', label: 'Tier', options: options('small', 'medium'), isMany: true },
          { name: 'server', label: 'Server', options: options('web-1', 'web-2') },
        ]}
        values={values}
        onChange={(change) => setValues({ ...values, ...change })}
      />
    </Card>
  )
}

function TabsExample() {
  const [value, setValue] = useState<'overview' | 'activity'>('overview')
  return (
    <Card title="Tabs">
      <Tabs
        label="Parts of shop.example.com"
        value={value}
        onChange={setValue}
        groups={[
          {
            name: '',
            tabs: [{ value: 'overview', name: 'Overview', content: <p>Details and health</p> }],
          },
          {
            name: 'Monitoring',
            tabs: [{ value: 'activity', name: 'Activity', content: <p>Who did what</p> }],
          },
        ]}
      />
    </Card>
  )
}

function Messages() {
  return (
    <Card title="Messages">
      <div className="flex flex-col gap-3">
        <Notice kind="info" title="A new version is available" actions={<Button>Reload</Button>} />
        <Notice kind="wait" title="The server is offline">
          The operation starts when the agent answers again.
        </Notice>
        <Notice kind="warn" title="No mail relay is configured">
          Mail of this site is not sent.
        </Notice>
        <Notice kind="bad" title="The site is down">
          PHP does not answer. Restart PHP, or look at its log.
        </Notice>
        <Failure error={new Error('The dashboard cannot be reached')} onRetry={() => undefined} />
        <Empty icon={<Inbox />} title="No sites" action={<Button>Create site</Button>}>
          Sites that you create or that are found on your servers are listed here.
        </Empty>
        <Skeleton rows={2} />
      </div>
    </Card>
  )
}
