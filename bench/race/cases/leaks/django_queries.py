"""With debugging on, a connection keeps each statement that it has executed.

https://docs.djangoproject.com/en/stable/faq/models/#why-is-django-leaking-memory
"""

import program

HOLDERS = ("__main__.connection.queries_log[*]",)


class Connection:
    def __init__(self):
        self.queries_log = []

    def execute(self, sql):
        if not program.FIXED:
            self.queries_log.append({"sql": sql, "time": "0.001"})


connection = Connection()


def work(number):
    for row in range(5):
        connection.execute(f"SELECT * FROM item WHERE id = {number * 10 + row}")


if __name__ == "__main__":
    program.run(work, connection.queries_log.clear)
