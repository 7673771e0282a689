// The demo tenant's records. `branch`, `holder` and `item` are indexes into the lists in this file. A person of kind
// `storage` represents a branch's stock.

export const branches = [
  {
    name: 'Head office Berlin',
    code: 'BER',
    type: 'headquarters',
    city: 'Berlin',
    country: 'DE',
    email: 'berlin@example.com',
    phone: '+49 30 5550100',
    address: 'Lindenstraße 12',
    contract_end: '2028-12-31',
  },
  {
    name: 'Branch İzmir',
    code: 'IZM',
    type: 'branch',
    city: 'İzmir',
    country: 'TR',
    email: 'izmir@example.com',
    phone: '+90 232 5550100',
    address: 'Kordon Caddesi 41',
    contract_end: '2027-06-30',
  },
  {
    name: 'Warehouse Rotterdam',
    code: 'RTM',
    type: 'warehouse',
    city: 'Rotterdam',
    country: 'NL',
    email: 'rotterdam@example.com',
    phone: '+31 10 5550100',
    address: 'Waalhaven 7',
  },
  {
    name: 'Northwind Consulting',
    code: 'NWC',
    type: 'client',
    city: 'London',
    country: 'GB',
    email: 'it@northwind.example',
    phone: '+44 20 5550100',
    contract_end: '2027-03-31',
  },
]

type PersonRow = [
  branch: number,
  name: string,
  email: string,
  department: string,
  title: string,
  employee_no: string | null,
  start_date: string,
]

const personRows: PersonRow[] = [
  [0, 'Ada Sommer', 'ada.sommer@example.com', 'Engineering', 'Head of engineering', 'E-1001', '2019-04-01'],
  [0, 'Jonas Weber', 'jonas.weber@example.com', 'Engineering', 'Software engineer', 'E-1004', '2021-09-15'],
  [0, 'Lena Fischer', 'lena.fischer@example.com', 'Finance', 'Accountant', 'E-1007', '2020-01-07'],
  [1, 'Elif Yıldız', 'elif.yildiz@example.com', 'Sales', 'Branch manager', 'E-2001', '2018-11-12'],
  [1, 'Çağrı Şahin', 'cagri.sahin@example.com', 'Support', 'Support engineer', 'E-2003', '2023-02-01'],
  [1, 'Deniz Aydın', 'deniz.aydin@example.com', 'Sales', 'Account manager', 'E-2006', '2022-05-16'],
  [2, 'Sanne de Vries', 'sanne.devries@example.com', 'Logistics', 'Warehouse lead', 'E-3001', '2017-08-21'],
  [2, 'Bram Jansen', 'bram.jansen@example.com', 'Logistics', 'Shift supervisor', 'E-3004', '2024-03-04'],
  [3, 'Grace Okafor', 'grace@northwind.example', 'IT', 'IT manager', null, '2020-10-05'],
  [3, 'Tom Barker', 'tom@northwind.example', 'Consulting', 'Consultant', null, '2023-06-19'],
]

const remoteWorkers = ['Jonas Weber', 'Deniz Aydın', 'Tom Barker']

export const people = [
  ...personRows.map(([branch, name, email, department, title, employee_no, start_date]) => {
    return { branch, name, email, department, title, employee_no, start_date, is_remote: remoteWorkers.includes(name) }
  }),
  { branch: 0, name: 'Head office Berlin', email: 'stock.berlin@example.com', kind: 'storage' },
  { branch: 3, name: 'Northwind Consulting', email: 'stock@northwind.example', kind: 'storage' },
]

type ItemRow = [
  holder: number,
  name: string,
  type: string,
  asset_tag: string,
  serial_number: string,
  manufacturer: string,
  model: string,
  purchase_cost: number,
  boughtDaysAgo: number,
  warrantyDays: number,
]

const itemRows: ItemRow[] = [
  [0, 'Ada’s laptop', 'laptop', 'TD-0001', 'PF-3K9X21', 'Lenovo', 'ThinkPad X1 Carbon', 189900, 610, 1095],
  [0, 'Monitor, desk 4', 'monitor', 'TD-0002', 'CN-0V7H11', 'Dell', 'U2723QE', 54900, 610, 1095],
  [1, 'Jonas’s laptop', 'laptop', 'TD-0003', 'C02-8QK1', 'Apple', 'MacBook Pro 14', 229900, 140, 365],
  [1, 'Phone, on call', 'phone', 'TD-0004', 'R5C-T20881', 'Samsung', 'Galaxy S24', 79900, 250, 730],
  [2, 'Lena’s laptop', 'laptop', 'TD-0005', '5CG-1202QX', 'HP', 'EliteBook 840', 139900, 1080, 1095],
  [2, 'Printer, finance', 'printer', 'TD-0006', 'X3B-700412', 'Brother', 'HL-L6400', 45900, 900, 730],
  [3, 'Elif’s laptop', 'laptop', 'TD-0007', 'PF-4A0B77', 'Lenovo', 'ThinkPad T14', 149900, 320, 1095],
  [3, 'Van, İzmir', 'vehicle', 'TD-0008', 'NM0-XXTTGX', 'Ford', 'Transit Custom', 4125000, 700, 1460],
  [4, 'Desktop, support 1', 'desktop', 'TD-0009', '8CC-2410GB', 'HP', 'ProDesk 600', 89900, 1200, 1095],
  [4, 'Headset, support 1', 'peripheral', 'TD-0010', 'JB-882190', 'Jabra', 'Evolve2 65', 19900, 400, 730],
  [5, 'Tablet, trade fairs', 'tablet', 'TD-0011', 'DMP-H21K', 'Apple', 'iPad Air', 69900, 90, 365],
  [6, 'Scanner, gate A', 'peripheral', 'TD-0012', 'ZB-110452', 'Zebra', 'DS3678', 99900, 800, 1095],
  [6, 'Switch, hall 2', 'network', 'TD-0013', 'FCW-2231L0', 'Cisco', 'Catalyst 9200', 329900, 1500, 1825],
  [6, 'Server, Rotterdam', 'server', 'TD-0014', 'SGH-114ZZK', 'HPE', 'ProLiant DL360', 689900, 1100, 1095],
  [7, 'Bram’s phone', 'phone', 'TD-0015', 'R5C-X99120', 'Samsung', 'Galaxy XCover 7', 42900, 75, 730],
  [7, 'Cordless drill', 'tool', 'TD-0016', 'BO-55812', 'Bosch', 'GSR 18V', 18900, 500, 1095],
  [8, 'Grace’s laptop', 'laptop', 'NW-0101', '1S2-20XW99', 'Dell', 'Latitude 7440', 159900, 210, 1095],
  [9, 'Tom’s laptop', 'laptop', 'NW-0102', '1S2-20XW87', 'Dell', 'Latitude 7440', 159900, 210, 1095],
  [9, 'Spare laptop', 'laptop', 'NW-0103', '1S1-18QQ04', 'Dell', 'Latitude 7420', 129900, 1300, 1095],
  [9, 'Tom’s phone', 'phone', 'NW-0104', 'R5C-T31907', 'Samsung', 'Galaxy S24', 79900, 210, 730],
]

/** What is special about some of the items, by tag. */
const remarks: Record<string, { is_loaner?: boolean; status?: string; notes?: string }> = {
  'TD-0004': { is_loaner: true },
  'TD-0011': { is_loaner: true, status: 'reserved' },
  'TD-0016': { status: 'lost', notes: 'Not found at the last count.' },
  'NW-0103': { status: 'spare' },
}

export const equipment = itemRows.map(
  ([holder, name, type, asset_tag, serial_number, manufacturer, model, purchase_cost, boughtDaysAgo, warrantyDays]) => {
    const bought = { manufacturer, model, purchase_cost, boughtDaysAgo, warrantyDays }
    return { holder, name, type, asset_tag, serial_number, ...bought, ...remarks[asset_tag] }
  },
)

/** When the records were created. */
export const created = { daysAgo: 60, at: '08:30' }

/** A change to an item or a person, with the new values. `at`: the time of day in UTC. `dates`: for each date field,
 *  the number of days from today. */
type LaterChange = ({ item: number; holder?: number } | { person: number }) & {
  daysAgo: number
  at: string
  values?: { status?: string; notes?: string; is_active?: boolean }
  dates?: { due_back?: number; end_date?: number }
}

/** In chronological order. The changes produce to-dos: a long repair, an overdue loan, and leavers with equipment. */
export const laterChanges: LaterChange[] = [
  { daysAgo: 52, at: '09:12', item: 18, holder: 11, values: { status: 'spare' } },
  { daysAgo: 46, at: '14:05', item: 3, holder: 0 },
  { daysAgo: 38, at: '10:31', item: 4, values: { status: 'in_repair', notes: 'Keyboard.' } },
  { daysAgo: 30, at: '15:47', item: 4, values: { status: 'in_use', notes: '' } },
  {
    daysAgo: 23,
    at: '08:55',
    item: 8,
    values: { status: 'in_repair', notes: 'Does not start. Power supply ordered.' },
  },
  { daysAgo: 17, at: '11:20', item: 3, holder: 1, dates: { due_back: -3 } },
  { daysAgo: 8, at: '16:10', person: 9, values: { is_active: false }, dates: { end_date: -6 } },
  { daysAgo: 5, at: '09:40', item: 10, holder: 3, values: { status: 'in_use' } },
  { daysAgo: 2, at: '13:25', item: 10, holder: 5, values: { status: 'reserved' } },
  { daysAgo: 1, at: '10:02', person: 5, dates: { end_date: 10 } },
]
