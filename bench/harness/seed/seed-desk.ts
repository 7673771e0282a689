// Fills a tenant with realistic branches, people and assets. Uses the API, so that all records have a history and are
// in the search index.

export type DeskSize = { assets: number; people: number; branches: number }

type Body = Record<string, unknown>

const recordsPerRequest = 500

export async function seedDesk(url: string, token: string, { assets, people, branches }: DeskSize): Promise<void> {
  const create = async (resource: string, count: number, make: (id: number) => Body) => {
    for (let created = 0; created < count; created += recordsPerRequest) {
      const length = Math.min(recordsPerRequest, count - created)
      const operations = Array.from({ length }, (_, index) => ({
        method: 'POST',
        resource,
        body: make(created + index + 1),
      }))
      await sendJson(url, token, 'POST', '/bulk.php', { operations })
    }
  }
  await create('customers', branches, (id) => ({
    name: `Branch ${id}`,
    code: `B-${id}`,
    city: city(id),
    country: 'DE',
  }))
  await create('employees', people, (id) => person(id, branches))
  await create('hardware', assets, (id) => asset(id, people, branches))
}

/** Sends a request to the API. Throws unless the request succeeds. */
export async function sendJson(url: string, token: string, method: string, path: string, body: Body): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
}

const firstNames = ['Jonas', 'Zeynep', 'Ada', 'İbrahim', 'Søren', 'Chloé', 'Łukasz', 'Aylin', 'Mehmet', 'Ursula']
const lastNames = ['Weber', 'Kaya', 'Lovelace', 'Öztürk', 'Jørgensen', 'Dubois', 'Nowak', 'Şahin', 'Müller', 'Groß']
const cities = ['Berlin', 'İzmir', 'København', 'Lyon', 'Kraków', 'Ankara', 'Hamburg', 'Wien', 'Zürich', 'Gdańsk']
const departments = ['Sales', 'Engineering', 'Finance', 'Field service', 'Support']
const types = ['laptop', 'desktop', 'monitor', 'phone', 'tablet', 'server', 'printer', 'network', 'peripheral', 'other']
const models = ['ThinkPad T14', 'Latitude 5450', 'MacBook Pro', 'Galaxy S24']
const storedStatuses = ['spare', 'in_repair', 'retired', 'lost', 'reserved']
const makers = ['Lenovo', 'Dell', 'Apple', 'Samsung']

/** The panel benchmark searches for these names, tags and serial numbers. */
export const deskPerson = (id: number) =>
  `${firstNames[id % 10]} ${lastNames[Math.floor(id / 10) % 10]} ${(id * 7919).toString(36)}`
export const deskTag = (id: number) => `TD-${String(id).padStart(6, '0')}`
export const deskSerial = (id: number) => `R5C-T${mixed(id).toString(36)}`

/** The id of the first asset that is in stock and has the status `spare`. */
export const spareAsset = 15

/** The id of a person who has not left and is not about to leave. */
export const stayingPerson = ({ people }: DeskSize) => Math.floor(people / 20) * 10 + 2

const city = (id: number) => cities[id % 10]!

/** A pseudo-random number that depends only on the id. */
const mixed = (id: number) => (id * 2_654_435_761) % 2 ** 32

/** The first `branches` records are the branches' storage locations. One in ten people has left, and one in ten
 *  is about to leave. */
function person(id: number, branches: number): Body {
  if (id <= branches) return { customer_id: id, email: `stock${id}@example.com`, name: `Stock ${id}`, kind: 'storage' }
  return {
    customer_id: 1 + (mixed(id) % branches),
    email: `person${id}@example.com`,
    name: deskPerson(id),
    department: departments[id % 5],
    start_date: `20${15 + (id % 10)}-0${1 + (id % 9)}-01`,
    is_active: id % 10 !== 0,
    ...(id % 10 <= 1 && { end_date: day(id % 10 === 0 ? -id % 700 : id % 60) }),
  }
}

/** One asset in three belongs to a storage location. */
function asset(id: number, people: number, branches: number): Body {
  const number = mixed(id)
  const modelIndex = Math.floor(number / 7) % 4
  const isStored = id % 3 === 0
  return {
    employee_id: isStored ? 1 + (number % branches) : 1 + branches + (number % (people - branches)),
    status: isStored ? storedStatuses[id % storedStatuses.length] : 'in_use',
    name: `${models[modelIndex]} ${(number % 46_656).toString(36)}`,
    type: types[Math.floor(number / 31) % types.length],
    asset_tag: deskTag(id),
    serial_number: deskSerial(id),
    manufacturer: makers[modelIndex],
    model: models[modelIndex],
    purchase_date: day(-(number % 1500)),
    warranty_end: day((number % 1500) - 500),
    purchase_cost: 10_000 + (number % 300_000),
    ...(number % 4 === 0 && { notes: `Bought with an extended warranty for room ${id}` }),
  }
}

/** Returns the date that is `days` days from today. */
function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
